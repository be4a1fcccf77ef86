package commandline

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// expected describes a flag's valid values, by its type.
var expected = map[string]message.Message{
	"int":      message.Of("a whole number, such as 3"),
	"duration": message.Of("a number with a unit, such as 500us or 1.5ms"),
	"bool":     message.Of("%s or %s", "true", "false"),
}

// Error replaces the error of an invalid flag value by an error that says which values
// are valid. pflag's own error quotes its parser. Other errors of cobra and pflag stay,
// and are in English in every language.
func Error(err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		if what, ok := expected[flag.Value.Type()]; ok {
			return message.Errorf("--%s %q: expected %s", flag.Name, invalid.GetValue(), what)
		}
	}
	return err
}

// argumentError replaces cobra's error about too many or too few arguments by one that
// names the expected arguments. It recognizes the error by its text, because the error has
// no type of its own. The text ends with the number of arguments.
func argumentError(command *cobra.Command, err error) error {
	_, found, ok := strings.Cut(err.Error(), " arg(s), ")
	if !ok {
		return err
	}
	line := command.Use
	if command.HasParent() {
		line = command.Parent().CommandPath() + " " + line
	}
	switch n := found[strings.LastIndexByte(found, ' ')+1:]; n {
	case "0":
		return message.Errorf("arguments are missing: expected \"%s\"", line)
	case "1":
		return message.Errorf("expected \"%s\", found one argument", line)
	default:
		return message.Errorf("expected \"%s\", found %s arguments", line, n)
	}
}
