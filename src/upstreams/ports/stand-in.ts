/** Every response of a stand-in has it; its value is the vendor's name. */
export const standInHeader = "Duba-Stand-In";

/** What the log says when one answers, and this is no rehearsal. */
export const standInSentence =
  "A stand-in answers in place of an identity vendor: its people are invented, so Duba rejects its answers. Set the vendor's own address, or rehearse with DUBA_STAND_INS=on and a new data directory or database";
