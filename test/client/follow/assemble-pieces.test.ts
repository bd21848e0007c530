/** Pieces that several ways carry are assembled to one reply. */

import { describe, expect, it } from 'vitest';
import { createPieceAssembler } from '../../../src/client/follow/assemble-pieces.js';

const piece = (offset: number, text: string, call = 'model-1', runId = 'r') => {
  return { chainId: 'c', runId, step: 1, call, offset, text };
};

describe('the assembler of pieces', () => {
  it('returns each character once, however many ways carry it', () => {
    const assemble = createPieceAssembler();
    const arrived = [piece(0, 'It '), piece(0, 'It '), piece(3, 'rains'), piece(0, 'It rains in'), piece(3, 'rains')];
    expect(arrived.map((each) => assemble(each)?.text ?? null)).toEqual(['It ', null, 'rains', ' in', null]);
  });

  it('reports the characters that did not arrive, also of a reply that had begun before', () => {
    const assemble = createPieceAssembler();
    expect(assemble(piece(10, 'rains'))).toMatchObject({ text: 'rains', missing: 10 });
    expect(assemble(piece(15, ' in'))).toMatchObject({ text: ' in', missing: 0 });
    expect(assemble(piece(20, 'Paris'))).toMatchObject({ text: 'Paris', missing: 2 });
  });

  it('assembles each attempt separately, also one of the same name in the run after a reset', () => {
    const assemble = createPieceAssembler();
    assemble(piece(0, 'It rains'));
    expect(assemble(piece(0, 'It', 'model-2'))).toMatchObject({ text: 'It', missing: 0 });
    expect(assemble(piece(0, 'It', 'model-1', 'reset'))).toMatchObject({ text: 'It', missing: 0 });
    expect(assemble(piece(3, 'rains'))).toBeNull();
  });
});
