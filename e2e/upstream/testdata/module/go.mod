module upstream.test

go 1.26

require old.test v1.0.0
