/**
 * Whether rows that are sent from now on take the place of those of the same positions, and which positions stay as they are; also those of which
 * everything was read now, or only the others.
 */
export interface Replacing {
  isOn: boolean;
  without: readonly number[];
  unlessWhole?: boolean;
}
