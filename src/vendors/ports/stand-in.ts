/** A header in every response of a stand-in, with the vendor's name. */
export const standInHeader = "Duba-Stand-In";
