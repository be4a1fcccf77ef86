package learner

import (
	"context"

	"github.com/kubeapitrace/apitrace/internal/message"
	"github.com/kubeapitrace/apitrace/workshop"
	"github.com/kubeapitrace/apitrace/workshop/group"
)

// Join makes the learner a member of a group. From then on, the learner's events are
// reported to it in the background.
func (l *Learner) Join(ctx context.Context, address, code, name string) error {
	name, err := group.Join(ctx, l.dir, address, code, name, l.lang)
	if err != nil {
		return err
	}
	l.sayf("You have joined as %q. From now on, the leader sees this name, the exercises that you start, try and pass, the hints and solutions that you take, and your wrong answers. This is sent as plain text.\nTo leave the group: apitrace workshop leave", name)
	return nil
}

// Leave ends the learner's membership in the group.
func (l *Learner) Leave(ctx context.Context) error {
	forgotten, err := group.Leave(ctx, l.dir)
	if err != nil {
		return err
	}
	if forgotten {
		l.sayf("You have left the group, and the leader's server has deleted your data. Your progress is kept on this machine.")
	} else {
		l.sayf("You have left the group. The leader's server was not told, so it keeps the data that it has received. Your progress is kept on this machine.")
	}
	return nil
}

// Vote votes in the group's poll. word is "true", "false", or another word that
// workshop.Truth accepts.
func (l *Learner) Vote(ctx context.Context, word string) error {
	holds, ok := workshop.Truth(word)
	if !ok {
		return message.UsageErrorf("expected true or false, found %q", word)
	}
	exercise, err := group.SendVote(ctx, l.dir, holds)
	if err != nil {
		return err
	}
	l.sayf("Your vote on %s is counted. While the poll is open, you can vote again, and the last vote counts.", exercise)
	return nil
}
