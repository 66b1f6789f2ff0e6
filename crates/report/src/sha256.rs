//! SHA-256 (FIPS 180-4), for the file hashes in witnesses.

/// The hash of `bytes`, in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend(((bytes.len() as u64) * 8).to_be_bytes());
    let primes = primes();
    let round: [u32; 64] = std::array::from_fn(|n| fraction(primes[n], 3));
    let mut hash: [u32; 8] = std::array::from_fn(|n| fraction(primes[n], 2));
    for block in message.chunks_exact(64) {
        compress(&mut hash, block, &round);
    }
    hash.iter().map(|word| format!("{word:08x}")).collect()
}

/// The first 64 primes.
fn primes() -> [u32; 64] {
    let mut primes = [0; 64];
    let mut found = 0;
    let mut candidate = 2;
    while found < 64 {
        if primes[..found].iter().all(|p| candidate % p != 0) {
            primes[found] = candidate;
            found += 1;
        }
        candidate += 1;
    }
    primes
}

/// The first 32 bits of the fractional part of the `root`-th root of `n`: the standard defines
/// its constants so.
fn fraction(n: u32, root: u32) -> u32 {
    // The largest x with x^root <= n * 2^(32 * root) has the fraction in its low 32 bits.
    let wanted = u128::from(n) << (32 * root).min(96);
    let (mut lo, mut hi) = (0u128, 1u128 << 40);
    while lo + 1 < hi {
        let middle = (lo + hi) / 2;
        let power = (0..root).try_fold(1u128, |p, _| p.checked_mul(middle));
        match power.is_some_and(|p| p <= wanted) {
            true => lo = middle,
            false => hi = middle,
        }
    }
    lo as u32
}

fn compress(hash: &mut [u32; 8], block: &[u8], round: &[u32; 64]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    for n in 16..64 {
        let (a, b) = (w[n - 15], w[n - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
        w[n] = w[n - 16]
            .wrapping_add(s0)
            .wrapping_add(w[n - 7])
            .wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *hash;
    for n in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h
            .wrapping_add(s1)
            .wrapping_add(choice)
            .wrapping_add(round[n])
            .wrapping_add(w[n]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
    }
    for (word, add) in hash.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
}

#[cfg(test)]
mod tests {
    use super::sha256;

    #[test]
    fn the_standards_examples() {
        let cases = [
            (
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ];
        for (text, hash) in cases {
            assert_eq!(sha256(text.as_bytes()), hash);
        }
    }
}
