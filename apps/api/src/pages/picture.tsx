import { type ComponentChildren, type VNode } from 'preact';
import { type ChartSize } from './chart-frame';

/** What every picture has beside its marks. */
export interface PictureProps {
  /** Makes ids of this picture unique on its page. */
  readonly id: string;
  readonly title: string;
  /** What a reader who does not see it has of it. */
  readonly description: string;
}

interface FrameProps extends PictureProps {
  readonly size: ChartSize;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** The frame of every chart: named and told to who does not see it, and fit to stand alone. */
export const Picture = ({ id, title, description, size, class: kind = 'chart', children }: FrameProps): VNode => (
  <svg
    xmlns="http://www.w3.org/2000/svg"
    class={kind}
    viewBox={`0 0 ${size.width} ${size.height}`}
    role="img"
    aria-labelledby={`${id}-title ${id}-desc`}
  >
    <title id={`${id}-title`}>{title}</title>
    <desc id={`${id}-desc`}>{description}</desc>
    {children}
  </svg>
);

interface WideAndNarrowProps<Size> {
  readonly wide: Size;
  readonly narrow: Size;
  readonly draw: (id: 'wide' | 'narrow', size: Size) => VNode;
}

/** Text in a picture shrinks with it, so it is drawn for both: the page shows the one that fits the screen. */
export const WideAndNarrow = <Size,>({ wide, narrow, draw }: WideAndNarrowProps<Size>): VNode => (
  <>
    <div class="wide">{draw('wide', wide)}</div>
    <div class="narrow">{draw('narrow', narrow)}</div>
  </>
);
