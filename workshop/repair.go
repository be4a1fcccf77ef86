package workshop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// repair puts together what the damaged file and the backup still have, saves it, sets the
// damaged file aside, and says exactly what is lost.
func (s *State) repair(text []byte, missing bool, events []Event, backup []byte) ([]Event, error) {
	kept, badBackup := parseEvents(backup)
	byNumber := map[int]Event{}
	// What the file itself has is newer than the backup.
	for _, e := range append(kept, events...) {
		byNumber[e.Number] = e
	}
	all := make([]Event, 0, len(byNumber))
	for _, e := range byNumber {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Event) int { return cmp.Compare(a.Number, b.Number) })
	lost := lostEvents(all)

	aside := ""
	if !missing {
		aside = s.Path + ".damaged-" + s.now().UTC().Format("20060102-150405.000")
		if err := replace(aside, text); err != nil {
			return nil, message.Errorf("moving the damaged state of the workshop aside: %w", err)
		}
	}
	for i := range all {
		all[i].Number = i + 1
	}
	if err := s.save(all); err != nil {
		return nil, err
	}
	if s.Warn != nil {
		s.Warn(s.damage(aside, all, lost, len(badBackup) == 0))
	}
	return all, nil
}

// lostEvents says, for each gap in the numbers, what is missing and between what.
func lostEvents(all []Event) []Text {
	var lost []Text
	next := 1
	for i, e := range all {
		if n := e.Number - next; n > 0 {
			after := Text{En: "before " + e.words(), Zh: "在 " + e.words() + " 之前"}
			if i > 0 {
				after = Text{En: "between " + all[i-1].words() + " and " + e.words(), Zh: "在 " + all[i-1].words() + " 与 " + e.words() + " 之间"}
			}
			lost = append(lost, Text{En: fmt.Sprintf("%d entries %s", n, after.En), Zh: fmt.Sprintf("%d 条记录，%s", n, after.Zh)})
		}
		next = e.Number + 1
	}
	return lost
}

func (e Event) words() string {
	return fmt.Sprintf("%q", strings.TrimSpace(string(e.Did)+" "+e.Exercise)+" ("+e.Time.Format("2006-01-02 15:04:05")+")")
}

// damage is the message about a damaged file.
func (s *State) damage(aside string, all []Event, lost []Text, backupWhole bool) Text {
	en, zh := fmt.Sprintf("the file with your progress, %s, was damaged", s.Path), fmt.Sprintf("记录进度的文件 %s 已损坏", s.Path)
	if aside == "" {
		en, zh = fmt.Sprintf("the file with your progress, %s, was gone", s.Path), fmt.Sprintf("记录进度的文件 %s 不见了", s.Path)
	} else {
		en, zh = en+"; it is kept as "+aside, zh+"；原文件保存为 "+aside
	}
	en, zh = en+fmt.Sprintf(". From it and its backup, %d entries are there again", len(all)), zh+fmt.Sprintf("。从该文件和备份中恢复了 %d 条记录", len(all))
	for _, l := range lost {
		en, zh = en+"; lost: "+l.En, zh+"；丢失："+l.Zh
	}
	switch {
	case len(lost) == 0 && backupWhole && len(all) > 0:
		last := all[len(all)-1].words()
		en, zh = en+", up to "+last+": nothing that was saved before it is lost", zh+"，直到 "+last+"：此前保存的内容没有丢失"
	case len(all) == 0:
		en, zh = en+": all progress is lost", zh+"：全部进度已丢失"
	default:
		last := all[len(all)-1].words()
		en, zh = en+"; whatever came after "+last+" is lost as well, as the backup was damaged, too", zh+"；备份也已损坏，"+last+" 之后的内容也已丢失"
	}
	return Text{En: en, Zh: zh}
}
