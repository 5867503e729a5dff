import { expect, test } from 'vitest';
import { ago, brief, bytes, clock, count, flow, rate, share, short, span } from '../../src/model/units';

const plain = (text: string) => text.replaceAll('\u2009', ' ').replaceAll('\u2212', '-');

test('counts have thin spaces between thousands', () => {
  expect([0, 999, 1000, 153421, -1234567].map((n) => plain(count(n)))).toEqual(['0', '999', '1 000', '153 421', '-1 234 567']);
  expect(plain(count(18446744073709551615n))).toBe('18 446 744 073 709 551 615');
  expect([null, undefined, NaN, Infinity].map((n) => count(n))).toEqual(['–', '–', '–', '–']);
});

test('short numbers keep their significant digits', () => {
  expect([0, 0.00123456, 1.5, 12.3456, 1234.56, 99999, -2.5].map((x) => plain(short(x)))).toEqual(
    ['0', '0.001235', '1.5', '12.35', '1 235', '99 999', '-2.5']);
  expect(plain(short(3e18))).toBe('3.000e+18');
});

test('rates stand still below 1000', () => {
  expect([0, 30, 199.96, 999.94, 999.96, 2630].map((x) => plain(rate(x)))).toEqual(['0.0', '30.0', '200.0', '999.9', '1 000', '2 630']);
});

test('spans choose their unit', () => {
  expect([0, 500, 2400, 620e3, 1.88e6, 2.5e9, 240e9].map(span)).toEqual(
    ['0', '500 ns', '2.40 µs', '0.62 ms', '1.88 ms', '2.50 s', '4 min']);
});

test('bytes by 1024, flows by 1000', () => {
  expect([0, 1023, 222298112, 1 << 30].map(bytes)).toEqual(['0 B', '1023 B', '212 MiB', '1 GiB']);
  expect([0, 419e6, 1.5e9].map(flow)).toEqual(['0 B/s', '419 MB/s', '1.5 GB/s']);
});

test('a loss is never rounded away', () => {
  expect([1, 0.99961, 0.999999, 0.99999999, 0.5, 0].map((x) => share(x))).toEqual(
    ['100 %', '99.96 %', '99.9999 %', '99.9999 %', '50.00 %', '0.00 %']);
});

test('clocks and ages', () => {
  expect([0, 767e9, 90061e9].map(clock)).toEqual(['00:00:00', '00:12:47', '1 d 01:01:01']);
  expect([0, 5000, 240_000, 7_200_000].map(ago)).toEqual(['just now', '5 s ago', '4 min ago', '2 h ago']);
});

test('long names keep their end', () => {
  expect(['STATS1', 'sixteen_letters_', 'REGION_AROUND_THE_ORDER_12'].map(brief)).toEqual(['STATS1', 'sixteen_letters_', 'REGIO…ORDER_12']);
});
