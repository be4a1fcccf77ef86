package workshop

import (
	"strings"
	"testing"
)

func TestBalanced(t *testing.T) {
	for pattern, wrong := range map[string]string{
		"fff":       "", // too few to judge
		"tftff t f": "",
		"ffffff":    "0 of 6 claims are true",
		"ttttff":    "more than 3 claims in a row are true",
		"tftftf":    "alternate",
		"tffftt":    "",
		"tfffff":    "1 of 6 claims are true",
	} {
		var claims []bool
		for _, r := range strings.ReplaceAll(pattern, " ", "") {
			claims = append(claims, r == 't')
		}
		err := balanced(claims)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: got the error %v, expected %q", pattern, err, wrong)
		}
	}
}

// TestCourseIsBalanced checks the balance of the claims, and that each exercise has its
// replies. It is faster than TestCourse.
func TestCourseIsBalanced(t *testing.T) {
	judge, _ := recorded(t)
	course, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Verifier{Judge: judge}).VerifyBalance(course); err != nil {
		t.Error(err)
	}
	for _, e := range course.Exercises() {
		if err := checkReplies(e); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckReplies(t *testing.T) {
	wrong := func(tries ...string) []Wrong { return []Wrong{{Try: tries}} }
	for _, c := range []struct {
		e     Exercise
		wrong string
	}{
		{Exercise{Find: &Selection{}, Wrong: wrong("a", "b", "c")}, ""},
		{Exercise{Find: &Selection{}, Wrong: wrong("a", "b")}, "2 wrong answers have replies: expected 3"},
		{Exercise{Choose: make([]Choice, 3)}, ""},
		{Exercise{Change: &Change{}}, ""},
		{Exercise{Claim: &Claim{}, Wrong: wrong("true a", "true b", "false c")}, "the claim has no evidence"},
		{Exercise{Claim: &Claim{Evidence: &Selection{}}, Wrong: wrong("true a", "true b", "true c"), Solution: Solution{Answer: Names{"false f"}}}, `a try under wrong that begins with the first word of "false f"`},
		{Exercise{Claim: &Claim{Evidence: &Selection{}}, Wrong: wrong("true a", "true b", "false c"), Solution: Solution{Answer: Names{"false f"}}}, ""},
	} {
		err := checkReplies(&c.e)
		if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: got the error %v, expected %q", c.e.Wrong, err, c.wrong)
		}
	}
}
