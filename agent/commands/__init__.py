"""What each command of `desk` does. A command's module is imported only when that command runs."""
