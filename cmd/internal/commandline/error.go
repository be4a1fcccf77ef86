package commandline

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubeapitrace/apitrace/internal/message"
)

// expected describes the valid values of a flag, by the flag's type.
var expected = map[string]message.Message{
	"int":      message.Of("a whole number, such as 3"),
	"duration": message.Of("a number with a unit, such as 500us or 1.5ms"),
	"bool":     message.Of("%s or %s", "true", "false"),
}

// Error says of a value that a flag cannot take what is expected, not what the parser of pflag found. It returns
// other errors unchanged: what cobra and pflag say is English in every language.
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

// argumentError adds the expected arguments to cobra's error of too many or too few. Its error has no type.
func argumentError(command *cobra.Command, err error) error {
	if !strings.Contains(err.Error(), " arg(s), ") {
		return err
	}
	line := command.Use
	if command.HasParent() {
		line = command.Parent().CommandPath() + " " + line
	}
	return message.Errorf("%w: expected \"%s\"", err, line)
}
