/** Default limits of a request's parts, in KiB. */
export const usualKiB = { body: 16, url: 8, headers: 16 } as const;
