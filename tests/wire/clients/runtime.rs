//! Frames of Tablier's wire: nothing but the standard library. Included by the generated codec.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The field that is wrong first, counted from 0, and why: 1 short, 2 range, 3 rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub field: u8,
    pub reason: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub code: u8,
    pub boot: [u8; 8],
    pub run: [u8; 8],
    pub payload: Vec<u8>,
}

fn crc32_from(crc: u32, data: &[u8]) -> u32 {
    let mut crc = !crc;
    for byte in data {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
        }
    }
    !crc
}

fn number_at(payload: &[u8], at: usize, width: usize) -> u64 {
    payload[at..at + width].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn fault<T>(field: u8, reason: u8) -> Result<T, Fault> {
    Err(Fault { field, reason })
}

pub fn revision(code: u8, payload: &[u8]) -> u32 {
    crc32_from(u32::from(code), payload).max(1)
}

/// The line of a frame, its newline included.
pub fn frame(code: u8, boot: &[u8; 8], run: &[u8; 8], payload: &[u8]) -> Vec<u8> {
    let mut body = vec![code];
    body.extend_from_slice(boot);
    body.extend_from_slice(run);
    body.extend_from_slice(payload);
    let crc = crc32_from(0, &body);
    body.extend_from_slice(&crc.to_le_bytes());
    let mut line = vec![b'!'];
    for three in body.chunks(3) {
        let byte = |at: usize| u32::from(*three.get(at).unwrap_or(&0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let symbol = ALPHABET[(word >> (18 - 6 * at) & 63) as usize];
            line.push(if at <= three.len() { symbol } else { b'=' });
        }
    }
    line.push(b'\n');
    line
}

fn unframe(line: &[u8]) -> Option<Frame> {
    let mut body = Vec::new();
    let (mut word, mut symbols, mut padding) = (0u32, 0, 0);
    for byte in &line[1..] {
        let found = ALPHABET.iter().position(|symbol| symbol == byte);
        if found.is_none() && *byte != b'=' {
            continue; // what is not of the alphabet is ignored
        }
        padding += usize::from(found.is_none());
        if found.is_some() && padding > 0 {
            return None;
        }
        word = word << 6 | found.unwrap_or(0) as u32;
        symbols += 1;
        if symbols % 4 == 0 {
            body.extend_from_slice(&word.to_be_bytes()[1..]);
            word = 0;
        }
    }
    if symbols % 4 != 0 || padding > 2 {
        return None;
    }
    body.truncate(body.len().checked_sub(padding)?);
    let end = body.len().checked_sub(4)?;
    if end < HEADER || end > HEADER + MAX_PAYLOAD || number_at(&body, end, 4) != u64::from(crc32_from(0, &body[..end])) {
        return None;
    }
    Some(Frame {
        code: body[0],
        boot: body[1..9].try_into().ok()?,
        run: body[9..17].try_into().ok()?,
        payload: body[HEADER..end].to_vec(),
    })
}

/// Finds frames in a stream of bytes that may hold anything.
#[derive(Default)]
pub struct Stream {
    line: Vec<u8>,
    marked: bool,
    noise: bool,
    skipped: usize,
    /// Bad frames so far.
    pub bad: u32,
}

impl Stream {
    /// Take a byte; return the frame that it ends.
    pub fn take(&mut self, byte: u8) -> Option<Frame> {
        if byte == b'!' {
            self.noise |= !self.line.is_empty() || self.skipped > 0;
            self.line.clear();
            self.skipped = 0;
            self.marked = true;
        }
        if byte != b'\n' {
            if self.marked && self.line.len() < MAX_LINE {
                self.line.push(byte);
            } else {
                self.skipped += 1;
            }
            return None;
        }
        let size = self.line.len();
        let whole = self.marked && self.skipped == 0 && size + 1 >= MIN_LINE && size < MAX_LINE;
        let found = if whole { unframe(&self.line) } else { None };
        let empty = size == 0 && self.skipped == 0 && !self.noise;
        self.bad += u32::from(self.noise || (!whole && !empty)) + u32::from(whole && found.is_none());
        let bad = self.bad;
        *self = Stream { bad, ..Stream::default() };
        found
    }
}
