typedef int number
