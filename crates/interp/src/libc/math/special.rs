//! Functions that are not exact: the system's own where Rust calls them, series elsewhere.

/// The double version of a function of one argument.
pub(super) fn unary64(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "sin" => f64::sin,
        "cos" => f64::cos,
        "tan" => f64::tan,
        "asin" => f64::asin,
        "acos" => f64::acos,
        "atan" => f64::atan,
        "sinh" => f64::sinh,
        "cosh" => f64::cosh,
        "tanh" => f64::tanh,
        "asinh" => asinh,
        "acosh" => acosh,
        "atanh" => atanh,
        "exp" => f64::exp,
        "exp2" => f64::exp2,
        "exp10" | "pow10" => |x| 10f64.powf(x),
        "expm1" => f64::exp_m1,
        "log" => f64::ln,
        "log2" => f64::log2,
        "log10" => f64::log10,
        "log1p" => f64::ln_1p,
        "cbrt" => f64::cbrt,
        "erf" => erf,
        "erfc" => erfc,
        "lgamma" | "gamma" => lgamma,
        "tgamma" => tgamma,
        _ => return None,
    })
}

/// The single version, where the system has one of its own.
pub(super) fn unary32(name: &str) -> Option<fn(f32) -> f32> {
    Some(match name {
        "sin" => f32::sin,
        "cos" => f32::cos,
        "tan" => f32::tan,
        "asin" => f32::asin,
        "acos" => f32::acos,
        "atan" => f32::atan,
        "sinh" => f32::sinh,
        "cosh" => f32::cosh,
        "tanh" => f32::tanh,
        "exp" => f32::exp,
        "exp2" => f32::exp2,
        "expm1" => f32::exp_m1,
        "log" => f32::ln,
        "log2" => f32::log2,
        "log10" => f32::log10,
        "log1p" => f32::ln_1p,
        "cbrt" => f32::cbrt,
        _ => return None,
    })
}

fn asinh(x: f64) -> f64 {
    let a = x.abs();
    if a > 1e150 || !a.is_finite() {
        return (a.ln() + std::f64::consts::LN_2).copysign(x);
    }
    let square = a * a;
    (a + square / (1.0 + (square + 1.0).sqrt()))
        .ln_1p()
        .copysign(x)
}

fn acosh(x: f64) -> f64 {
    if x > 1e150 {
        return x.ln() + std::f64::consts::LN_2;
    }
    let t = x - 1.0;
    (t + (2.0 * t + t * t).sqrt()).ln_1p()
}

fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

/// The power series for small arguments, the complement's fraction for large ones.
fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 2.5 {
        return (1.0 - erfc(x.abs())).copysign(x);
    }
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while term.abs() > sum.abs() * 1e-18 && n < 200.0 {
        n += 1.0;
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 2.5 {
        return 1.0 - erf(x);
    }
    if x > 28.0 {
        return 0.0;
    }
    // Continued fraction, evaluated from its tail.
    let mut fraction = 0.0;
    for n in (1..=120).rev() {
        fraction = f64::from(n) / 2.0 / (x + fraction);
    }
    (-x * x).exp() / (x + fraction) * std::f64::consts::FRAC_2_SQRT_PI / 2.0
}

/// Whether the gamma function is negative there.
pub(super) fn gamma_negative(x: f64) -> bool {
    x < 0.0 && x.floor() % 2.0 != 0.0 && x.floor() != x
}

/// Stirling's series after moving the argument up.
pub(super) fn lgamma(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || (x <= 0.0 && x.floor() == x) {
        return f64::INFINITY;
    }
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    if x < 0.5 {
        let pi = std::f64::consts::PI;
        return (pi / (pi * x).sin().abs()).ln() - lgamma(1.0 - x);
    }
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < 15.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let r = 1.0 / (shifted * shifted);
    let series = (1.0 / 12.0
        - r * (1.0 / 360.0
            - r * (1.0 / 1260.0
                - r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * 691.0 / 360_360.0)))))
        / shifted;
    let half_log_two_pi = 0.918_938_533_204_672_8;
    (shifted - 0.5) * shifted.ln() - shifted + half_log_two_pi + series - product.ln()
}

fn tgamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    if x < 0.0 && x.floor() == x || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x.floor() == x && x <= 171.0 {
        // Factorials: exact as long as they fit.
        return (2..x as u32).map(f64::from).product();
    }
    if x > 172.0 {
        return f64::INFINITY;
    }
    let value = lgamma(x).exp();
    if gamma_negative(x) { -value } else { value }
}
