package trace

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

// session returns a recording, and its requests in the order in which they ended: the
// last request ended first.
func session(t *testing.T) (rec *Recording, asTheyEnd []Request) {
	t.Helper()
	rec = load(t, "handmade-errors.json")
	for i := range rec.Requests {
		rec.Requests[i].Start = time.Unix(1000+int64(i), 0).UTC()
		asTheyEnd = append([]Request{rec.Requests[i]}, asTheyEnd...)
	}
	if len(asTheyEnd) < 2 {
		t.Fatal("handmade-errors.json has fewer than 2 requests")
	}
	return rec, asTheyEnd
}

func TestAppender(t *testing.T) {
	rec, asTheyEnd := session(t)
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, []byte("an older one, readable by all, and longer than what comes: "+strings.Repeat("x", 1<<20)), 0o644); err != nil {
		t.Fatal(err)
	}
	a, err := Create(path, *rec)
	if err != nil {
		t.Fatal(err)
	}
	for i := range asTheyEnd {
		place, err := a.Append(context.Background(), &asTheyEnd[i])
		if err != nil {
			t.Fatal(err)
		}
		one, err := a.Read(place)
		if err != nil || !reflect.DeepEqual(one.Requests, asTheyEnd[i:i+1]) {
			t.Errorf("Read of request %d = %+v, %v, expected the appended request", i, one, err)
		}
		// The saved requests can be read at any time.
		if soFar, err := Load(path); err != nil || len(soFar.Requests) != i+1 {
			t.Errorf("Load after %d requests: error %v, expected all of them", i+1, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || !reflect.DeepEqual(got, rec) {
		t.Errorf("Load = %+v, %v, expected the requests in the order in which they were sent", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has the mode %v (error %v), expected that only its owner can read it", info.Mode(), err)
	}
}

// TestLoadCut loads a file with a cut last line, as a killed program leaves it.
func TestLoadCut(t *testing.T) {
	rec, _ := session(t)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := Save(context.Background(), path, rec); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, fileSize(t, path)-100); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	var cut *CutError
	if !errors.As(err, &cut) || cut.Requests != len(rec.Requests)-1 || !strings.Contains(err.Error(), "line 2: it ends in the middle") {
		t.Fatalf("Load returned the error %v, expected a CutError that counts %d requests", err, len(rec.Requests)-1)
	}
	if !reflect.DeepEqual(got.Requests, rec.Requests[:len(rec.Requests)-1]) {
		t.Errorf("loaded %+v, expected all requests but the last", got)
	}
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// A smallDisk is a file on a disk with room for the first bytes only.
type smallDisk struct {
	*os.File
	room int64
}

func (d *smallDisk) WriteAt(p []byte, offset int64) (int, error) {
	if offset+int64(len(p)) <= d.room {
		return d.File.WriteAt(p, offset)
	}
	n, err := d.File.WriteAt(p[:d.room-offset], offset)
	return n, errors.Join(err, syscall.ENOSPC)
}

// TestDiskFullAtAnyByte checks that Load returns the requests that were saved before
// the disk was full.
func TestDiskFullAtAnyByte(t *testing.T) {
	rec, _ := session(t)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := Save(context.Background(), path, rec); err != nil {
		t.Fatal(err)
	}
	size := fileSize(t, path)
	for range 300 {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		disk := &smallDisk{file, rand.Int64N(size)}
		a := newAppender(disk, path, *rec)
		saved, failed := 0, error(nil)
		for i := range rec.Requests {
			if _, failed = a.Append(context.Background(), &rec.Requests[i]); failed != nil {
				break
			}
			saved++
		}
		if err := a.Close(); err != nil || !errors.Is(failed, syscall.ENOSPC) {
			t.Fatalf("room for %d bytes: Append returned %v, expected ENOSPC; Close returned %v, expected nil", disk.room, failed, err)
		}
		got, err := Load(path)
		if saved == 0 {
			if err == nil {
				t.Fatalf("room for %d bytes: loaded %+v, expected an error, because no request was saved", disk.room, got)
			}
		} else if err != nil || !reflect.DeepEqual(got.Requests, rec.Requests[:saved]) {
			t.Fatalf("room for %d bytes: Load = %+v, %v, expected the %d requests that were saved", disk.room, got, err, saved)
		}
	}
}

// TestLoadCutAtAnyByte cuts a file at any byte. If the cut is between two lines, Load
// returns the requests before it. Otherwise Load returns an error. With a CutError, it
// also returns the requests before the cut.
func TestLoadCutAtAnyByte(t *testing.T) {
	rec, _ := session(t)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := Save(context.Background(), path, rec); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		size := rand.IntN(len(whole) - 1) // the last byte is a newline, which may be missing
		if err := os.WriteFile(path, whole[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		var cut *CutError
		if err == nil {
			if got == nil || len(got.Requests) >= len(rec.Requests) || !reflect.DeepEqual(got.Requests, rec.Requests[:len(got.Requests)]) {
				t.Fatalf("cut after %d bytes: loaded %+v without an error, expected the requests before the cut", size, got)
			}
		} else if errors.As(err, &cut) && !reflect.DeepEqual(got.Requests, rec.Requests[:cut.Requests]) {
			t.Fatalf("cut after %d bytes: loaded %+v, expected the first %d requests", size, got, cut.Requests)
		}
	}
}

func TestAppenderFullDisk(t *testing.T) {
	rec, _ := session(t)
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := Save(context.Background(), path, rec); err != nil {
		t.Fatal(err)
	}
	disk := &smallDisk{room: fileSize(t, path) - 100}
	var err error
	if disk.File, err = os.Create(path); err != nil {
		t.Fatal(err)
	}
	a := newAppender(disk, path, *rec)
	if _, err := a.Append(context.Background(), &rec.Requests[0]); err != nil {
		t.Fatal(err)
	}
	for _, again := range []bool{false, true} {
		_, err := a.Append(context.Background(), &rec.Requests[1])
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "requests saved so far: 1") {
			t.Errorf("Append to a full disk (again: %v): got the error %v, expected ENOSPC and the number of saved requests", again, err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	got, err := Load(path)
	if err != nil || !reflect.DeepEqual(got.Requests, rec.Requests[:1]) {
		t.Errorf("Load = %+v, %v, expected the request that was saved before the disk was full", got, err)
	}
}

func TestCreateNameless(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	rec, _ := session(t)
	a, err := CreateNameless(*rec)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	place, err := a.Append(context.Background(), &rec.Requests[0])
	if err != nil {
		t.Fatal(err)
	}
	if one, err := a.Read(place); err != nil || len(one.Requests) != 1 {
		t.Errorf("Read = %+v, %v, expected one request", one, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files in TMPDIR: %v (error %v), expected none", left, err)
	}
}

// TestAppenderIsAlone checks that a second writer of a file gets an error, and that the
// file does not change.
func TestAppenderIsAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	first, err := Create(path, Recording{Scenario: "first"})
	if err != nil {
		t.Fatal(err)
	}
	rec, _ := session(t)
	if _, err := first.Append(t.Context(), &rec.Requests[0]); err != nil {
		t.Fatal(err)
	}
	if second, err := Create(path, Recording{Scenario: "second"}); !errors.Is(err, errBeingWritten) {
		t.Errorf("a second Create = %v, %v, expected errBeingWritten", second, err)
	}
	if err := Save(t.Context(), path, rec); !errors.Is(err, errBeingWritten) {
		t.Errorf("Save while the Appender is open: got the error %v, expected errBeingWritten", err)
	}
	if err := CheckWritable(path); !errors.Is(err, errBeingWritten) {
		t.Errorf("CheckWritable while the Appender is open: got the error %v, expected errBeingWritten", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || got.Scenario != "first" || len(got.Requests) != 1 {
		t.Errorf("Load = %+v, %v, expected the recording of the first writer with one request", got, err)
	}
	if err := Save(t.Context(), path, rec); err != nil {
		t.Errorf("Save after the Appender was closed: %v", err)
	}
}
