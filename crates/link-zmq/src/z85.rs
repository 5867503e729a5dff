//! Keys as text: Z85 (<https://rfc.zeromq.org/spec/32/>), four bytes as five characters.

pub(crate) const KEY_BYTES: usize = 32;
/// Characters of a key.
pub(crate) const KEY_LETTERS: usize = 40;

const LETTERS: &[u8; 85] =
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

pub(crate) fn encode(key: &[u8; KEY_BYTES]) -> String {
    let mut text = String::with_capacity(KEY_LETTERS);
    for bytes in key.as_chunks::<4>().0 {
        let number = u32::from_be_bytes(*bytes);
        for place in [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1] {
            text.push(char::from(LETTERS[(number / place % 85) as usize]));
        }
    }
    text
}

/// `None` for another text than a key.
pub(crate) fn decode(text: &str) -> Option<[u8; KEY_BYTES]> {
    let mut key = [0; KEY_BYTES];
    if text.len() != KEY_LETTERS {
        return None;
    }
    for (bytes, letters) in key.as_chunks_mut::<4>().0.iter_mut().zip(text.as_bytes().as_chunks::<5>().0) {
        let mut number = 0u32;
        for letter in letters {
            let value = LETTERS.iter().position(|known| known == letter)?;
            number = number.checked_mul(85)?.checked_add(value as u32)?;
        }
        *bytes = number.to_be_bytes();
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn keys_come_back() {
        // The example of the specification, four times.
        let bytes = [0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b];
        let key: [u8; 32] = bytes.repeat(4).try_into().unwrap();
        assert_eq!(encode(&key), "HelloWorld".repeat(4));
        assert_eq!(decode(&encode(&key)), Some(key));
        assert_eq!(decode(&encode(&[0xff; 32])), Some([0xff; 32]));
        for wrong in ["", "HelloWorld", &"#".repeat(40), &"~".repeat(40), &"é".repeat(20)] {
            assert_eq!(decode(wrong), None);
        }
    }
}
