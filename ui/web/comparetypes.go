package web

// A SourceDiff is the difference between the two texts of a function.
type SourceDiff struct {
	A       *SourceSide  `json:"a,omitempty" description:"The function on side A; absent if no caller of the call is on both sides."`
	B       *SourceSide  `json:"b,omitempty" description:"The function on side B."`
	Same    bool         `json:"same" description:"Whether the texts are the same."`
	Hunks   []SourceHunk `json:"hunks" description:"The parts that differ, each with three lines around."`
	Hunk    int          `json:"hunk" description:"Index of the hunk with the line of the call; -1 if no hunk has it, or the line is not known."`
	Line    int          `json:"line" description:"The line of the function that makes the call; 0 if the call is of this function."`
	OnB     bool         `json:"onB" description:"Whether line is a line of side B; if not, it is a line of side A."`
	Compare string       `json:"compare,omitempty" description:"Link to upstream's diff of the file; absent if unknown."`
	Missing string       `json:"missing,omitempty" description:"Why the texts were not compared; absent if they were."`
	Action  string       `json:"action,omitempty" description:"What to do about that."`
}

// A SourceSide is a function on one side.
type SourceSide struct {
	Function string `json:"function" description:"Full name of the function."`
	Name     string `json:"name" description:"Its short name."`
	File     string `json:"file" description:"File of the function."`
	Line     int    `json:"line" description:"Line of the word func."`
	Program  string `json:"program" description:"The program that it is part of, with its version."`
	URL      string `json:"url,omitempty" description:"Where upstream shows it; absent if that is not known."`
}

// A SourceHunk is a range of lines that differs.
type SourceHunk struct {
	FromA  int              `json:"fromA" description:"The first line of the hunk on side A, or the line before the hunk if it has no line of side A."`
	CountA int              `json:"countA" description:"How many lines of side A it has."`
	FromB  int              `json:"fromB" description:"The same of side B."`
	CountB int              `json:"countB" description:"How many lines of side B it has."`
	Lines  []SourceDiffLine `json:"lines" description:"The lines of both sides."`
}

// A SourceDiffLine is a line of both sides, or of one.
type SourceDiffLine struct {
	A      int     `json:"a" description:"Number of the line on side A, 0 if side B alone has it."`
	B      int     `json:"b" description:"Number of the line on side B, 0 if side A alone has it."`
	Tokens []Token `json:"tokens" description:"The pieces of the line."`
}

// A ScenarioHistory lists the changes in the calls of a scenario, by release.
type ScenarioHistory struct {
	Scenario string        `json:"scenario" description:"Name of the scenario."`
	Title    string        `json:"title" description:"What happens, in a few words."`
	Releases []HistoryStep `json:"releases" description:"The releases, the oldest first."`
}
