package testenv

import "testing"

func TestEnglish(t *testing.T) {
	o := Output{Names: []string{"get-node"}, Commands: []string{"show", "workshop", "workshop next"}, Upstream: []string{`pods .* not found`}}
	for _, line := range []string{
		"710 次调用，耗时 1.49ms，kube-apiserver v1.37.1（667）", "└┄ endpoints/filters.WithRequestInfo.func1 filters/requestinfo.go:29 ⋯32",
		"继续：apitrace workshop next", "apitrace show get-node --view full --k8s 1.30", `未知的命令 "fast food"`, "见 https://go.dev/dl",
		"响应 404：pods \"x\" not found", "GET /api/v1/nodes/n1 → 200", "v1 Node 变为 *core.Node", "1.5 GB", "伸缩（PATCH scale 子资源）", "分页列出（limit 与 continue）",
	} {
		if words := o.English(t, line); len(words) > 0 {
			t.Errorf("found English prose in a Chinese line: %q", words)
		}
	}
	for _, line := range []string{
		"KIND  PROGRAM  SIZE", "total: 3 GB", "removed 0 B", "v1.37.1 yes", "apitrace shows it", "错误：not found", "in every release:",
		"kube-apiserver v1.37.1: compile, 3s", "(not available: x)", "12 of 40", "workspace  unfinished  是", "应为 v1 or v2", "错误：no such file",
	} {
		if words := o.English(t, line); len(words) == 0 {
			t.Errorf("found no English prose in %q", line)
		}
	}
}
