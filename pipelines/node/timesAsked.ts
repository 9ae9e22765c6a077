/** How often is asked before a node counts as one that lacks something: of several behind one URL, each answers some of the questions. */
export const timesAsked = 4;
