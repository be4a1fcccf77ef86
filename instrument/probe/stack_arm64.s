#include "textflag.h"

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func framePointer() uintptr
TEXT ·framePointer(SB), NOSPLIT|NOFRAME, $0-8
	MOVD R29, R0
	MOVD R0, ret+0(FP)
	RET

// func here() (gp unsafe.Pointer, fp uintptr, count int64)
TEXT ·here(SB), NOSPLIT|NOFRAME, $0-24
	MOVD g, R0
	MOVD R0, gp+0(FP)
	MOVD R29, R0
	MOVD R0, fp+8(FP)
	MRS  CNTVCT_EL0, R0
	MOVD R0, count+16(FP)
	RET

// func counter() int64
TEXT ·counter(SB), NOSPLIT, $0-8
	MRS  CNTVCT_EL0, R0
	MOVD R0, ret+0(FP)
	RET
