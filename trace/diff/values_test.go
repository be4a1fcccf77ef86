package diff

import (
	"hash/fnv"
	"strconv"
	"testing"
)

func TestNumber(t *testing.T) {
	for _, text := range []string{"", "0", "42", "-7", "+7", "-", "+", "007", "1.5", "0x1f", "1_000", " 1", "1 ", "/api", "Allow", "٣", "99999999999999999999"} {
		_, err := strconv.Atoi(text)
		if want := err == nil; number(text) != want {
			t.Errorf("number(%q) = %t, expected %t", text, !want, want)
		}
	}
	if n := testing.AllocsPerRun(10, func() { number("/api/v1/nodes") }); n > 0 {
		t.Errorf("number allocates %.0f times for a path, expected none", n)
	}
}

func TestHashTextOfParts(t *testing.T) {
	h := fnv.New64a()
	h.Write([]byte("resource=nodes"))
	if got := hashText("resource", "=", "nodes"); got != h.Sum64() {
		t.Errorf("hashText = %x, expected the FNV-1a hash %x", got, h.Sum64())
	}
	if n := testing.AllocsPerRun(10, func() { hashText("resource", "=", "nodes") }); n > 0 {
		t.Errorf("hashText allocates %.0f times, expected none", n)
	}
}
