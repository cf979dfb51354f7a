/* Frames of Tablier's wire, in C99: no allocation, no input or output. Included by the generated codec. */

static uint32_t crc32_from(uint32_t crc, const uint8_t *data, size_t size)
{
    crc = ~crc;
    while (size--) {
        crc ^= *data++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xEDB88320u & -(crc & 1));
    }
    return ~crc;
}

static uint64_t number_at(const uint8_t *at, int width)
{
    uint64_t value = 0;
    while (width--)
        value = value << 8 | at[width];
    return value;
}

static uint8_t *put_number(uint8_t *at, uint64_t value, int width)
{
    for (; width--; value >>= 8)
        *at++ = (uint8_t)value;
    return at;
}

uint32_t tablier_revision(uint8_t code, const uint8_t *payload, size_t size)
{
    uint32_t crc = crc32_from(code, payload, size);
    return crc ? crc : 1;
}

static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t tablier_frame(uint8_t code, const uint8_t boot[8], const uint8_t run[8], const uint8_t *payload, size_t size,
                     char line[TABLIER_MAX_LINE])
{
    uint8_t body[TABLIER_HEADER + TABLIER_MAX_PAYLOAD + 4 + 2] = {code};
    size_t count = TABLIER_HEADER + size, at = 0;
    memcpy(body + 1, boot, 8);
    memcpy(body + 9, run, 8);
    memcpy(body + TABLIER_HEADER, payload, size);
    put_number(body + count, crc32_from(0, body, count), 4);
    count += 4;
    memset(body + count, 0, 2);
    line[at++] = '!';
    for (size_t i = 0; i < count; i += 3) {
        uint32_t word = (uint32_t)body[i] << 16 | body[i + 1] << 8 | body[i + 2];
        line[at++] = ALPHABET[word >> 18];
        line[at++] = ALPHABET[word >> 12 & 63];
        line[at++] = i + 1 < count ? ALPHABET[word >> 6 & 63] : '=';
        line[at++] = i + 2 < count ? ALPHABET[word & 63] : '=';
    }
    line[at++] = '\n';
    return at;
}

/* Returns 0 unless the line, from its mark to before its newline, is a frame. */
static int unframe(const char *line, size_t size, struct tablier_frame_data *frame)
{
    uint8_t body[TABLIER_MAX_LINE];
    size_t count = 0, symbols = 0, padding = 0;
    uint32_t word = 0;
    for (size_t i = 1; i < size; i++) {
        const char *found = line[i] ? strchr(ALPHABET, line[i]) : NULL;
        if (!found && line[i] != '=')
            continue; /* what is not of the alphabet is ignored */
        padding += !found;
        if (found && padding)
            return 0;
        word = word << 6 | (found ? (uint32_t)(found - ALPHABET) : 0);
        if (++symbols % 4 == 0) {
            body[count++] = (uint8_t)(word >> 16);
            body[count++] = (uint8_t)(word >> 8);
            body[count++] = (uint8_t)word;
        }
    }
    if (symbols % 4 || padding > 2)
        return 0;
    count -= padding;
    if (count < TABLIER_HEADER + 4 || count > TABLIER_HEADER + TABLIER_MAX_PAYLOAD + 4)
        return 0;
    count -= 4;
    if (number_at(body + count, 4) != crc32_from(0, body, count))
        return 0;
    frame->code = body[0];
    memcpy(frame->boot, body + 1, 8);
    memcpy(frame->run, body + 9, 8);
    frame->size = count - TABLIER_HEADER;
    memcpy(frame->payload, body + TABLIER_HEADER, frame->size);
    return 1;
}

int tablier_take(struct tablier_stream *stream, uint8_t byte, struct tablier_frame_data *frame)
{
    if (byte == '!') {
        stream->noise |= stream->size > 0 || stream->skipped > 0;
        stream->size = 0;
        stream->skipped = 0;
        stream->marked = 1;
    }
    if (byte != '\n') {
        if (stream->marked && stream->size < TABLIER_MAX_LINE)
            stream->line[stream->size++] = (char)byte;
        else
            stream->skipped++;
        return 0;
    }
    int whole = stream->marked && !stream->skipped && stream->size + 1 >= TABLIER_MIN_LINE && stream->size < TABLIER_MAX_LINE;
    int good = whole && unframe(stream->line, stream->size, frame);
    int empty = !stream->size && !stream->skipped && !stream->noise;
    stream->bad += (stream->noise || (!whole && !empty)) + (whole && !good);
    stream->size = stream->skipped = 0;
    stream->marked = stream->noise = 0;
    return good;
}
