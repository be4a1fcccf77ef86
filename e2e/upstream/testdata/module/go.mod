module upstream.test

go 1.26
