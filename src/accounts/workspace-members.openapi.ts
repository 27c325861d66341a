import { ERROR_TABLE } from '../http/error-table.js';
import { fieldRefusal, type OperationDescription } from '../http/openapi.js';
import { USER_IDS, WORD } from './workspace-rules.js';

/** Of adding and removing members alike. */
export const membershipRefusals: OperationDescription['refusals'] = [
  fieldRefusal(
    'request-invalid',
    'user_ids',
    `must be an array of ${USER_IDS.min} to ${USER_IDS.max} strings of ${WORD.min} to ${WORD.max} characters, well-formed Unicode without NUL`,
  ),
  'not-found',
  'default-workspace-members-fixed',
  {
    ...ERROR_TABLE['member-unknown'],
    code: 'member-unknown',
    metadata: {
      issues: [{ path: 'user_ids', message: 'names users who are no members of the account' }],
      user_ids: ['user-nobody'],
    },
  },
  'body-too-large',
  'encoding-unsupported',
];
