import { expect, test } from 'vitest';
import { addressOf, hostOf, prefixOf } from '../../src/link/door';
import type { HostState } from '../../src/link/protocol';
import { inWords, toneOf, unheard, wholeInWords } from '../../src/model/hosts';

const host = (change: Partial<HostState> = {}): HostState => ({
  name: 'daq', page: 'daq01:8090', self: false, reachable: true, code: null, why: null, since_ns: 0, heard_ns: 1, state: 'running',
  failure: null, losses: 'nothing', text: null, unintended: 0, closed: true, in_doubt: 0, frames: 7, ...change,
});
const [silent] = unheard([host({ name: 'ana' })], 5) as [HostState];

test('a page knows from its address of which host it is', () => {
  const found = (path: string) => [hostOf(path), addressOf('/api/v1/nodes', path)];
  expect(found('/')).toEqual(['', '/api/v1/nodes']);
  expect(found('/hosts/workers.1/')).toEqual(['workers.1', '/hosts/workers.1/api/v1/nodes']);
  expect(found('/hosts/daq/assets/worker.js')).toEqual(['daq', '/hosts/daq/api/v1/nodes']);
  for (const path of ['/hosts/', '/hosts//', '/hosts/daq', '/a/hosts/daq/', '/hosts/a%2Fb/']) expect(prefixOf(path)).toBe('');
});

test('sessions and the list of hosts are of the server that has the page', () => {
  const there = (path: string) => addressOf(path, '/hosts/daq/');
  expect([there('/api/v1/session'), there('/api/v1/hosts')]).toEqual(['/api/v1/session', '/api/v1/hosts']);
  expect([there('/api/v1/control'), there('/api/v1/sessions')]).toEqual(['/hosts/daq/api/v1/control', '/hosts/daq/api/v1/sessions']);
});

test('the state of a host has one word', () => {
  expect(toneOf(host())).toBe('up');
  expect(toneOf(host({ losses: 'losing' }))).toBe('losing');
  expect(toneOf(host({ losses: 'has_lost' }))).toBe('lost');
  expect(toneOf(host({ in_doubt: 3 }))).toBe('lost');
  expect(toneOf(host({ state: 'ended' }))).toBe('ended');
  expect(toneOf(host({ closed: false }))).toBe('failed');
  expect(toneOf(silent)).toBe('gone');
  expect(toneOf({ ...silent, heard_ns: null })).toBe('unknown');
});

test('nothing is said to be lost nowhere while a host is silent', () => {
  expect(wholeInWords([host(), host()])).toEqual({ tone: 'up', text: 'all 2 hosts answer, nothing lost' });
  for (const other of [silent, { ...silent, heard_ns: null }, host({ losses: 'acknowledged', unintended: 3 })]) {
    const { text } = wholeInWords([host(), other]);
    expect(text).not.toMatch(/hosts answer, nothing lost/);
  }
  const whole = wholeInWords([host(), silent, host({ losses: 'has_lost' })]);
  expect(whole.tone).toBe('gone');
  expect(whole.text).toMatch(/^2 of 3 hosts answer · ana: gone since .*its losses are unknown: the server of this page/);
  expect(inWords(host({ losses: 'losing', unintended: 1234, text: 'queue full', in_doubt: 2 }))).toMatch(/losing now .*queue full\), 2 frames in doubt/);
});
