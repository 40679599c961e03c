# frozen_string_literal: true

module Fortnight
  # Rounds to whole steps.
  module Round
    # To the nearest whole step.
    def self.to(span, step)
      size = Units::SECONDS.fetch(step)
      count, rest = span.seconds.divmod(size)
      count += 1 if rest * 2 >= size
      span.class.new(count * size)
    end

    # To the whole step below.
    def self.down(span, step)
      size = Units::SECONDS.fetch(step)
      span.class.new(span.seconds / size * size)
    end

    def self.nearest(span, step)
      to(span, step)
    end
  end
end
