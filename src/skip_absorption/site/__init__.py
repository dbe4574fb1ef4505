"""From results to a page for the browser: no server, no network, no script needed to read it."""
