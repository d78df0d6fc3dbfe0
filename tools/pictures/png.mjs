// Makes a screenshot a PNG of 256 colors, a quarter of its size: what shows an interface has hardly more. sharp and
// imagemin bring binaries for that.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const TRUE_COLOR = 2;
const PALETTE = 3;
const MOST_COLORS = 256;

/**
 * @param {Buffer} screenshot A browser's: eight bits a channel, not interlaced.
 * @returns {Buffer}
 */
export function compress(screenshot) {
  const { width, height, pixels } = decode(screenshot);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts]
    .sort(([a, timesA], [b, timesB]) => timesB - timesA || a - b)
    .slice(0, MOST_COLORS)
    .map(([color]) => color);
  const indexes = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]));
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      lines[y * (width + 1) + 1 + x] = indexes.get(pixels[y * width + x] ?? 0) ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, PALETTE], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(channels))),
    chunk("IDAT", deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** @param {number} color */
const channels = (color) => [color >> 16, (color >> 8) & 255, color & 255];

/** @param {readonly number[]} palette @param {number} color */
function nearest(palette, color) {
  const distances = palette.map((each) => {
    const [red = 0, green = 0, blue = 0] = channels(each).map(
      (value, nth) => value - (channels(color)[nth] ?? 0),
    );
    return red ** 2 + green ** 2 + blue ** 2;
  });
  return distances.indexOf(Math.min(...distances));
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

/** @param {Buffer} png */
function decode(png) {
  /** @type {Record<string, Buffer[]>} */
  const chunks = {};
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    (chunks[type] ??= []).push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const header = chunks.IHDR?.[0];
  if (!header) throw new Error("The browser's screenshot is no PNG.");
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const size = header[9] === TRUE_COLOR ? 3 : 4;
  const lines = inflateSync(Buffer.concat(chunks.IDAT ?? []));
  const stride = width * size;
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1);
    const line = lines.subarray(start + 1, start + 1 + stride);
    unfilter(line, above, lines[start] ?? 0, size);
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = line.readUIntBE(x * size, 3);
    above = line;
  }
  return { width, height, pixels };
}

/**
 * Undoes a line's filter, in place.
 *
 * @param {Buffer} line
 * @param {Buffer} above
 * @param {number} filter
 * @param {number} size Bytes of a pixel.
 * @see https://www.w3.org/TR/png-3/#9Filter-types
 */
function unfilter(line, above, filter, size) {
  for (let at = 0; at < line.length; at += 1) {
    const left = at < size ? 0 : (line[at - size] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < size ? 0 : (above[at - size] ?? 0);
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    line[at] = ((line[at] ?? 0) + predicted) & 255;
  }
}

/** @param {number} left @param {number} up @param {number} corner */
function paeth(left, up, corner) {
  const guess = left + up - corner;
  /** @param {number} value */
  const off = (value) => Math.abs(guess - value);
  if (off(left) <= off(up) && off(left) <= off(corner)) return left;
  return off(up) <= off(corner) ? up : corner;
}
