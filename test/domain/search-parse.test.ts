// The grammar of the search language: tokens with their positions, precedence, and the position of every mistake.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lex } from '../../src/domain/search/lex.ts';
import { CRITERIA_MAX, parse, SEARCH_LEVELS_MAX, type Syntax } from '../../src/domain/search/parse.ts';
import { Fault } from '../../src/faults.ts';

const tokens = (query: string) =>
  lex(query).map((token) => {
    const text = 'text' in token ? token.text : 'operator' in token ? token.operator : '';
    return `${token.kind}${text === '' ? '' : ` ${text}`} ${token.start}-${token.end}`;
  });

function tree(syntax: Syntax | undefined): string {
  if (syntax === undefined) return '';
  switch (syntax.kind) {
    case 'and':
    case 'or':
      return `${syntax.kind}(${syntax.parts.map(tree).join(' ')})`;
    case 'not':
      return `not(${tree(syntax.part)})`;
    case 'term':
      return term(syntax.term);
    case 'criterion':
      return `${syntax.name.map(term).join('/')}${syntax.operator}${syntax.term === undefined ? '' : term(syntax.term)}`;
  }
}
const term = ({ text, quoted }: { text: string; quoted: boolean }) => (quoted ? JSON.stringify(text) : text);

function mistake(query: string): { message: string; position: number } {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof Fault && error.code === 'INVALID_SEARCH') return error.params as never;
    throw error;
  }
  return assert.fail(`${query} can be read`);
}

describe('tokens', () => {
  const cases: [string, string[]][] = [
    ['', []],
    [' \t\n\u3000\u00a0', []],
    ['a b', ['word a 0-1', 'word b 2-3']],
    ['a\u3000b', ['word a 0-1', 'word b 2-3']],
    ['a:b', ['word a 0-1', 'operator : 1-2', 'word b 2-3']],
    ['a!=b', ['word a 0-1', 'operator != 1-3', 'word b 3-4']],
    [
      'a<=b>=c<d>e',
      'word a 0-1,operator <= 1-3,word b 3-4,operator >= 4-6,word c 6-7,operator < 7-8,word d 8-9,operator > 9-10,word e 10-11'.split(
        ',',
      ),
    ],
    ['a-b', ['word a-b 0-3']],
    ['2024-01-05', ['word 2024-01-05 0-10']],
    ['-a', ['minus 0-1', 'word a 1-2']],
    ['--a', ['minus 0-1', 'minus 1-2', 'word a 2-3']],
    ['a>-5', ['word a 0-1', 'operator > 1-2', 'word -5 2-4']],
    ['a>--5', ['word a 0-1', 'operator > 1-2', 'word --5 2-5']],
    ['a> -5', ['word a 0-1', 'operator > 1-2', 'minus 3-4', 'word 5 4-5']],
    ['(-a)', ['open 0-1', 'minus 1-2', 'word a 2-3', 'close 3-4']],
    ['"a b"', ['quoted a b 0-5']],
    ['"-a"', ['quoted -a 0-4']],
    ['"a\\"\\\\b"', ['quoted a"\\b 0-8']],
    ['""', ['quoted 0-2']],
    // Positions count code points, not UTF-16 units.
    ['😀 "😀😀" b', ['word 😀 0-1', 'quoted 😀😀 2-6', 'word b 7-8']],
    ["a'b,c.d/e&f|g*h$i", ["word a'b,c.d/e&f|g*h$i 0-17"]],
  ];
  for (const [query, expected] of cases) {
    it(JSON.stringify(query), () => assert.deepEqual(tokens(query), expected));
  }
});

describe('syntax', () => {
  const cases: [string, string][] = [
    ['', ''],
    ['a', 'a'],
    ['a b', 'and(a b)'],
    ['a AND b', 'and(a b)'],
    ['a b AND c', 'and(a b c)'],
    ['a OR b', 'or(a b)'],
    ['a OR b c', 'or(a and(b c))'],
    ['a b OR c AND d OR e', 'or(and(a b) and(c d) e)'],
    ['(a OR b) c', 'and(or(a b) c)'],
    ['NOT a b', 'and(not(a) b)'],
    ['-a OR b', 'or(not(a) b)'],
    ['NOT (a b)', 'not(and(a b))'],
    ['-(a OR b)', 'not(or(a b))'],
    ['NOT NOT a', 'not(not(a))'],
    ['--a', 'not(not(a))'],
    ['NOT -a', 'not(not(a))'],
    ['- a', 'not(a)'],
    ['a AND NOT b', 'and(a not(b))'],
    ['((a))', 'a'],
    // Parentheses need no white space.
    ['a(b)c', 'and(a b c)'],
    ['NOT(a)OR(b)', 'or(not(a) b)'],
    // Operators in capitals only, and not when quoted or part of a word.
    ['a and b or not c', 'and(a and b or not c)'],
    ['"AND" "OR" "NOT"', 'and("AND" "OR" "NOT")'],
    ['ANDY NOTE OR.', 'and(ANDY NOTE OR.)'],
    ['NOT"a"', 'not("a")'],
    ['a:b', 'a:b'],
    ['a:"b c"', 'a:"b c"'],
    ['a!=b', 'a!=b'],
    ['-a:b', 'not(a:b)'],
    ['NOT a>=b', 'not(a>=b)'],
    ['Temp>-5', 'Temp>-5'],
    ['Temp>-5 -6', 'and(Temp>-5 not(6))'],
    ['a=', 'a='],
    ['a!=', 'a!='],
    ['(a=)', 'a='],
    ['a= b', 'and(a= b)'],
    ['a= OR b!=', 'or(a= b!=)'],
    ['a=""', 'a=""'],
    ['a:""', 'a:""'],
    ['a:"AND"', 'a:"AND"'],
    ['"a b":c', '"a b":c'],
    ['"OR":c', '"OR":c'],
    ['$c1234567:x', '$c1234567:x'],
    // A dot parts names unless quoted.
    ['a.b:x', 'a/b:x'],
    ['a.b.c:x', 'a/b/c:x'],
    ['"a.b":x', '"a.b":x'],
    ['"a".b:x', '"a"/b:x'],
    ['a."b":x', 'a/"b":x'],
    ['"a"."b":x', '"a"/"b":x'],
    ['"a b".c.d:x', '"a b"/c/d:x'],
    ['$c1234567."b c":x', '$c1234567/"b c":x'],
    ['a.:x', 'a/:x'],
    ['.a:x', '/a:x'],
    ['a.b', 'a.b'],
  ];
  for (const [query, expected] of cases) {
    it(query || 'nothing', () => assert.equal(tree(parse(query)), expected));
  }
});

describe('mistakes', () => {
  const cases: [query: string, position: number, message: RegExp][] = [
    ['(a', 0, /no closing one/],
    ['a (b (c)', 2, /no closing one/],
    ['(', 0, /no closing one/],
    ['a)', 1, /no opening one/],
    [')', 0, /no opening one/],
    ['(a))', 3, /no opening one/],
    ['()', 0, /nothing between/],
    ['a ( )', 2, /nothing between/],
    ['(a OR)', 5, /missing before this closing/],
    ['a OR', 4, /missing at the end/],
    ['a AND ', 5, /missing at the end/],
    ['NOT', 3, /missing at the end/],
    ['-', 1, /missing at the end/],
    ['AND a', 0, /AND is an operator and needs something before/],
    ['a AND OR b', 6, /OR is an operator/],
    ['a OR AND b', 5, /AND is an operator/],
    ['NOT OR', 4, /OR is an operator/],
    // No white space around an operator.
    ['Name :x', 5, /":" needs the name of a column directly before it, without white space/],
    ['Name: x', 4, /":" needs a term directly after it, without white space/],
    ['Name =x', 5, /"=" needs the name of a column/],
    [':x', 0, /needs the name/],
    ['(a):x', 3, /needs the name/],
    ['Name:', 4, /needs a term/],
    ['Name<', 4, /needs a term/],
    ['Name<= 5', 4, /"<=" needs a term/],
    ['(Name:)', 5, /needs a term/],
    ['😀😀:', 2, /needs a term/],
    ['Name=(a)', 5, /without parentheses/],
    ['Name:(a)', 5, /without parentheses/],
    ['Name=OR b', 5, /OR is an operator; as a term it has to be quoted/],
    ['Name:NOT', 5, /as a term/],
    ['NOT:x', 0, /NOT is an operator; a column of that name/],
    ['a OR=x', 2, /OR is an operator; a column of that name/],
    ['OR:x', 0, /as a term or name it has to be quoted/],
    ['a==b', 2, /"=" cannot follow "="/],
    ['a=>b', 2, /">" cannot follow "="/],
    ['a<>b', 2, /">" cannot follow "<"/],
    ['a::b', 2, /":" cannot follow ":"/],
    ['At:10:30', 5, /has to be quoted/],
    ['a:b=c', 3, /has to be quoted/],
    ['a!b', 1, /"!" is part of "!=" only/],
    ['a !', 2, /"!"/],
    ['"a"b', 3, /White space is missing/],
    ['a"b"', 1, /White space is missing/],
    ['"a""b"', 3, /White space is missing/],
    ['"a"-b', 3, /White space is missing/],
    ['a:"b"c', 5, /White space is missing/],
    ['a:b"c"', 3, /White space is missing/],
    ['a:"b"-c', 5, /White space is missing/],
    ['a"b":c', 1, /quoted as a whole/],
    ['"a"b:c', 3, /quoted as a whole/],
    ['"a""b":c', 3, /quoted as a whole/],
    ['"abc', 0, /closing quotation mark/],
    ['a:"', 2, /closing quotation mark/],
    ['"a\\"', 0, /closing quotation mark/],
    ['"a\\n"', 2, /backslash/],
    ['"a\\', 2, /backslash/],
    ['a b\0c', 3, /U\+0000/],
    ['😀"\ud800"', 2, /U\+D800/],
    ['\udfff', 0, /U\+DFFF/],
  ];
  for (const [query, position, message] of cases) {
    it(JSON.stringify(query), () => {
      const found = mistake(query);
      assert.match(found.message, message);
      assert.equal(found.position, position);
    });
  }
});

describe('limits', () => {
  it(`${CRITERIA_MAX} criteria and bare terms together`, () => {
    const most = Array.from({ length: CRITERIA_MAX }, (_, index) => (index % 2 === 0 ? 'x' : 'a:x')).join(' ');
    parse(most);
    assert.deepEqual(mistake(`${most} OR y`), {
      message: 'A search has at most 64 criteria and terms.',
      position: most.length + 4,
    });
  });

  it(`${SEARCH_LEVELS_MAX} levels of parentheses and NOT, in any mixture`, () => {
    for (const level of ['(', '-', 'NOT ', '-(', '(NOT ']) {
      const perLevel = /^[-(]$|^NOT $/.test(level) ? 1 : 2;
      const deepest = level.repeat(SEARCH_LEVELS_MAX / perLevel);
      const closing = ')'.repeat(deepest.split('(').length - 1);
      parse(`${deepest}a${closing}`);
      const { position, message } = mistake(`${deepest}(a)${closing}`);
      assert.equal(position, deepest.length);
      assert.match(message, /32 levels/);
    }
  });

  it('levels beside one another do not add up', () => {
    assert.equal(tree(parse('(a) '.repeat(60))).length, 'and()'.length + 60 * 2 - 1);
    parse('-a '.repeat(60));
  });

  it('4,096 code points', () => {
    parse('😀'.repeat(4096));
    assert.deepEqual(mistake('😀'.repeat(4097)), {
      message: 'A search has at most 4096 characters.',
      position: 4096,
    });
    assert.equal(mistake('x'.repeat(5_000_000)).position, 4096);
    parse(' '.repeat(4096));
    mistake(' '.repeat(4097));
  });

  it('the longest of bad queries are refused or read at once', () => {
    for (const piece of ['(', '-', '"', 'NOT ', 'a:', '""', '"."', '()', '\\', '!', '<', '-(', 'a OR ', '" ', '"."a']) {
      const query = piece.repeat(Math.floor(4096 / piece.length));
      const start = process.cpuUsage().user;
      assert.ok(mistake(piece === '\\' ? `"${query.slice(2)}` : query).position >= 0);
      const ms = (process.cpuUsage().user - start) / 1000;
      // Milliseconds; what is exponential or cubic would take hours.
      assert.ok(ms < 1000, `${piece} took ${ms} ms`);
    }
  });
});
