"""What the rules and their scripts share: the environment, the configuration, the sources of a rule, errors."""
