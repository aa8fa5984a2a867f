/** Most KiB of the parts of a request, unless the operator sets other bounds. */
export const usualKiB = { body: 16, url: 8, headers: 16 } as const;
