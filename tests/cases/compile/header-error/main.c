#include "mid.h"
number n;
