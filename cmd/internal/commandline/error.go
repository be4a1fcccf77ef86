package commandline

import (
	"errors"
	"fmt"
	"regexp"

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

// Error converts an error of cobra or pflag to one that can be reported in every language. Other errors are
// returned unchanged. For the value of a flag it says what is expected, not what the parser found.
func Error(err error) error {
	if err == nil {
		return nil
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		flag := invalid.GetFlag()
		if what, ok := expected[flag.Value.Type()]; ok {
			return message.Errorf("--%s %q: expected %s", flag.Name, invalid.GetValue(), what)
		}
	}
	if said := inWords(err); said != nil && said.Error() == err.Error() {
		return said
	}
	return err
}

// argumentError is Error for the arguments of a command: where their number is wrong, it adds which are expected.
func argumentError(command *cobra.Command, err error) error {
	said := Error(err)
	if err == nil || wrongCount(err) == nil {
		return said
	}
	line := command.Use
	if command.HasParent() {
		line = command.Parent().CommandPath() + " " + line
	}
	return message.Errorf("%w: expected \"%s\"", said, line)
}

// inWords returns an error of cobra or pflag as a message, or nil.
func inWords(err error) error {
	switch err := err.(type) {
	case *pflag.NotExistError:
		if short := err.GetSpecifiedShortnames(); short != "" {
			return message.Errorf("unknown shorthand flag: %q in -%s", rune(err.GetSpecifiedName()[0]), short)
		}
		return message.Errorf("unknown flag: --%s", err.GetSpecifiedName())
	case *pflag.ValueRequiredError:
		if short := err.GetSpecifiedShortnames(); short != "" {
			return message.Errorf("flag needs an argument: %q in -%s", rune(err.GetSpecifiedName()[0]), short)
		}
		return message.Errorf("flag needs an argument: --%s", err.GetSpecifiedName())
	case *pflag.InvalidSyntaxError:
		return message.Errorf("bad flag syntax: %s", err.GetSpecifiedFlag())
	case *pflag.InvalidValueError:
		return message.Errorf("invalid argument %q for %q flag: %v", err.GetValue(), "--"+err.GetFlag().Name, errors.Unwrap(err))
	}
	if errors.Unwrap(err) != nil { // it marks another error, which has been put in words
		return nil
	}
	if parts := unknownCommand.FindStringSubmatch(err.Error()); parts != nil {
		return message.Errorf("unknown command %q for %q", parts[1], parts[2])
	}
	if parts := exclusiveFlags.FindStringSubmatch(err.Error()); parts != nil {
		return message.Errorf("if any flags in the group [%s] are set none of the others can be; [%s] were all set", parts[1], parts[2])
	}
	return wrongCount(err)
}

// wrongCount returns cobra's error of too many or too few arguments as a message, or nil.
func wrongCount(err error) error {
	var a, b, c int
	for _, said := range []error{
		counted(err, "accepts %d arg(s), received %d", &a, &b),
		counted(err, "accepts at most %d arg(s), received %d", &a, &b),
		counted(err, "accepts between %d and %d arg(s), received %d", &a, &b, &c),
		counted(err, "requires at least %d arg(s), only received %d", &a, &b),
	} {
		if said != nil {
			return said
		}
	}
	return nil
}

// Errors of cobra that have no type.
var (
	unknownCommand = regexp.MustCompile(`^unknown command "(.*)" for "(.*)"$`)
	exclusiveFlags = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set none of the others can be; \[(.*)\] were all set$`)
)

// counted returns an error with this format if err has it, else nil.
func counted(err error, format string, into ...*int) error {
	pointers := make([]any, len(into))
	for i := range into {
		pointers[i] = into[i]
	}
	if _, failed := fmt.Sscanf(err.Error(), format, pointers...); failed != nil {
		return nil
	}
	numbers := make([]any, len(into))
	for i := range into {
		numbers[i] = *into[i]
	}
	return message.Errorf(format, numbers...)
}
