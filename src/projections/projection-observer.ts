import type { RebuildNews } from './outdated-projections.js';
import type { ProjectorNews } from './projector-state.js';

/** Is told what an operator should know of projections. */
export interface ProjectionObserver {
  readonly tell: (news: ProjectorNews) => void;
  /** Of the rebuilding of what an earlier version left. */
  readonly onRebuild: (news: RebuildNews) => void;
}
