import { Shown } from '../http/field-decorators.js';
import { WorkspaceFields } from './workspace.fields.js';

/** The fields of a workspace for features that the service does not have. Each value says that the feature is absent. */
export const NONE_OF_THESE = {
  default_guardrail_id: '',
  default_text_model: null,
  default_image_model: null,
  default_provider_sort: null,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 0,
  is_data_discount_logging_enabled: false,
  is_observability_broadcast_enabled: false,
  is_observability_io_logging_enabled: false,
} as const;

const NONE = { type: String, nullable: true };
const NEVER = { type: Boolean };

/** The fields of a workspace in answers, including those that the official client requires (docs/official-client.md). */
export class AnsweredWorkspaceFields extends WorkspaceFields {
  @Shown('Always empty: the service has no guardrails.', { type: String })
  readonly default_guardrail_id = NONE_OF_THESE.default_guardrail_id;

  @Shown('Always null: the service runs no models.', NONE)
  readonly default_text_model = NONE_OF_THESE.default_text_model;

  @Shown('Always null: the service runs no models.', NONE)
  readonly default_image_model = NONE_OF_THESE.default_image_model;

  @Shown('Always null: the service has no providers.', NONE)
  readonly default_provider_sort = NONE_OF_THESE.default_provider_sort;

  @Shown('Always null: the service logs no input or output of models.', {
    type: Number,
    isArray: true,
    nullable: true,
    maxItems: 0,
  })
  readonly io_logging_api_key_ids = NONE_OF_THESE.io_logging_api_key_ids;

  @Shown('Always 0: the service logs no input or output of models.', { type: Number })
  readonly io_logging_sampling_rate = NONE_OF_THESE.io_logging_sampling_rate;

  @Shown('Always false: the service has no discount for data.', NEVER)
  readonly is_data_discount_logging_enabled = NONE_OF_THESE.is_data_discount_logging_enabled;

  @Shown('Always false: the service broadcasts nothing.', NEVER)
  readonly is_observability_broadcast_enabled = NONE_OF_THESE.is_observability_broadcast_enabled;

  @Shown('Always false: the service logs no input or output of models.', NEVER)
  readonly is_observability_io_logging_enabled = NONE_OF_THESE.is_observability_io_logging_enabled;
}
