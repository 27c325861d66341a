import { ERROR_TABLE } from '../http/error-table.js';
import { textsRule } from '../http/field-rules.js';
import { type OperationDescription } from '../http/openapi.js';
import { fieldRefusal } from '../http/described-refusals.js';
import { WRITE_REFUSALS } from '../rate-limits/rate-limited.openapi.js';
import { USER_IDS } from './workspace.fields.js';

/** Of adding and removing members alike. */
export const membershipRefusals: OperationDescription['refusals'] = [
  ...WRITE_REFUSALS,
  fieldRefusal('request-invalid', 'user_ids', textsRule(USER_IDS)),
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
];
