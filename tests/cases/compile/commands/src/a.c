int a = VALUE;
