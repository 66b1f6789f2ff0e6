int helper(int n) { return 2 * n + 2; }
