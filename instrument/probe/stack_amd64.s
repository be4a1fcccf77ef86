#include "textflag.h"

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func framePointer() uintptr
TEXT ·framePointer(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ BP, ret+0(FP)
	RET

// func here() (gp unsafe.Pointer, fp uintptr, count int64)
TEXT ·here(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ (TLS), AX
	MOVQ AX, gp+0(FP)
	MOVQ BP, fp+8(FP)
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, count+16(FP)
	RET

// func counter() int64
TEXT ·counter(SB), NOSPLIT, $0-8
	RDTSC
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET
