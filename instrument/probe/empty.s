// This file lets labels.go declare functions without a body.
