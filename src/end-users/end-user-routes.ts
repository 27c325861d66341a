/** Where end users are found (docs/api.md 1.1): the second is another name of the first. */
export const END_USER_ROUTES = ['v1/end-users', 'v1/external-users'];
