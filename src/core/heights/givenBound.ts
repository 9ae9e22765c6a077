import { z } from 'zod';
import { FirnError } from '../firnError.ts';
import { parseBound } from './findHeight.ts';

/** A bound of a read as a configuration gives it: what is none is refused before anything is read. */
export const givenBound = z
  .union([z.string(), z.number().int().nonnegative('is below 0: write an age with its unit, such as -30d')])
  .superRefine((value, context) => {
    try {
      parseBound(value);
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      context.addIssue({ code: 'custom', message: error.message.replace(/\.$/, '') });
    }
  });
