import { FirnError } from '../../core/firnError.ts';
import type { Ledger } from '../contract.ts';
import { divideAgain, leaveInPart, wasReadAgain } from './again.ts';
import { alone } from './alone.ts';
import { applied, newestPending, nextBatch, pending, pendingTables } from './batches.ts';
import { commitBatch } from './commitBatch.ts';
import type { Control } from './control.ts';
import { lease, leaseWhole, release, renew } from './leases.ts';
import { foundElsewhere, lookedUp, toAskAgain, unasked } from './lookups.ts';
import {
  dropped,
  handedOut,
  knownMembers,
  loadsOf,
  newestLoad,
  readUntil,
  records,
  standsAt,
  toReplay,
  waiting,
  wasRead,
} from './partitions.ts';
import { begin, divide, endBeside, enlist, handOut, takeInPart } from './parts.ts';
import { publish, version } from './versions.ts';

/** The ledger in an open control database. */
export async function openLedger(control: Control): Promise<Ledger> {
  const [warehouse] = await control.query<{ id: string }>('SELECT id FROM firn.warehouse');
  if (!warehouse) throw new FirnError('failed', 'The control database has lost its row in firn.warehouse: restore it.');
  const on =
    <Given extends unknown[], T>(work: (control: Control, ...given: Given) => T) =>
    (...given: Given): T =>
      work(control, ...given);
  return {
    warehouse: warehouse.id,
    enlist: on(enlist),
    divide: on(divide),
    takeInPart: on(takeInPart),
    divideAgain: on(divideAgain),
    leaveInPart: on(leaveInPart),
    wasReadAgain: on(wasReadAgain),
    handedOut: on(handedOut),
    handOut: on(handOut),
    begin: on(begin),
    endBeside: on(endBeside),
    standsAt: on(standsAt),
    readUntil: on(readUntil),
    wasRead: on(wasRead),
    loadsOf: on(loadsOf),
    lease: on(lease),
    leaseWhole: on(leaseWhole),
    renew: on(renew),
    release: on(release),
    waiting: on(waiting),
    records: on(records),
    toReplay: on(toReplay),
    knownMembers: on(knownMembers),
    dropped: on(dropped),
    newestLoad: on(newestLoad),
    lookedUp: on(lookedUp),
    unasked: on(unasked),
    foundElsewhere: on(foundElsewhere),
    toAskAgain: on(toAskAgain),
    nextBatch: on(nextBatch),
    commit: on(commitBatch),
    pending: on(pending),
    newestPending: on(newestPending),
    pendingTables: on(pendingTables),
    applied: on(applied),
    alone: (name, work, ms) => alone(control, name, work, ms),
    publish: on(publish),
    version: on(version),
    close: () => control.close(),
  };
}
