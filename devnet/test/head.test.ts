import { describe, expect, test } from 'vitest';
import { createHead, headMoment, parseSpeed, stepLength } from '../src/head.ts';

const history = { firstMoment: 1_000_000, lastMoment: 2_000_000 };

describe('headMoment', () => {
  test.each([
    ['0%', 1_000_000],
    ['70%', 1_700_000],
    [' 12.5 % ', 1_125_000],
    ['100%', 2_000_000],
    ['1970-01-01T00:20:00Z', 1_200_000],
    [1_300_000, 1_300_000],
    [new Date(1_400_000), 1_400_000],
    ['1970-01-02', 86_400_000],
    ['1970-01-02T02:00:00.5+02:00', 86_400_500],
  ])('reads %s', (position, moment) => {
    expect(headMoment(history, position)).toBe(moment);
  });

  test.each(['101%', 'half', '', '-5%', '5', '1970-01-02T00:00:00', Number.NaN])('refuses %s', (position) => {
    expect(() => headMoment(history, position)).toThrow(`head "${position}" is neither a share such as 70%`);
  });
});

describe('createHead', () => {
  test('stays where it is put until it is moved', () => {
    let time = 0;
    const head = createHead(history, '50%', 0, () => time);
    time = 1_000_000;
    expect(head.now()).toBe(1_500_000);
    head.moveTo('100%');
    expect(head.now()).toBe(2_000_000);
  });

  test('runs at its speed, from where it is moved, and stops at the last moment', () => {
    let time = 5000;
    const head = createHead(history, '0%', 3600, () => time);
    time += 100;
    expect(head.now()).toBe(1_360_000);
    head.moveTo(1_100_000);
    time += 10;
    expect(head.now()).toBe(1_136_000);
    time += 1_000_000;
    expect(head.now()).toBe(2_000_000);
  });

  test('may be put past the last moment', () => {
    expect(createHead(history, 3_000_000, 60, () => 0).now()).toBe(3_000_000);
  });
});

test('takes steps, also while it runs, and stops at the last moment', () => {
  let time = 0;
  const still = createHead(history, '50%', 0, () => time, stepLength(history, '10%'));
  still.step();
  expect(still.now()).toBe(1_600_000);
  for (let i = 0; i < 9; i++) still.step();
  expect(still.now()).toBe(2_000_000);
  const running = createHead(history, '0%', 10, () => time, stepLength(history, '1%'));
  time = 1000;
  running.step();
  expect(running.now()).toBe(1_020_000);
});

describe('stepLength', () => {
  test.each([
    ['0%', 0],
    ['0.01%', 100],
    [' 100 % ', 1_000_000],
  ])('reads %s', (text, length) => expect(stepLength(history, text)).toBeCloseTo(length));

  test.each(['far', '-1%', '', '101%', '5'])('refuses %j', (text) => {
    expect(() => stepLength(history, text)).toThrow(`step "${text}" is not a share of the history such as 0.01%`);
  });
});

describe('parseSpeed', () => {
  test.each([
    ['3600x', 3600],
    ['0.5', 0.5],
  ])('reads %s', (text, speed) => expect(parseSpeed(text)).toBe(speed));

  test.each(['fast', '-1x', '', '0', '0.0x'])('refuses %j', (text) => {
    expect(() => parseSpeed(text)).toThrow(`speed "${text}" is not a number of times such as 3600x`);
  });
});
