/** Every response of a stand-in has it; its value is the vendor's name. */
export const standInHeader = "Duba-Stand-In";
