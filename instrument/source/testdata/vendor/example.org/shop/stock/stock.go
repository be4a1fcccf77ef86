package stock

// Take takes.
func Take(item string) error { return nil }

func Add(item string) {}
