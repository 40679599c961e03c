# frozen_string_literal: true

module Fortnight
  # Measures how long something takes.
  module Clock
    # Runs a block and gives how long it took.
    def self.measure
      from = now
      yield
      Interval.new((now - from).round)
    end

    def self.tick
      Interval.new(1)
    end

    # What is shown while something runs.
    def self.shown(span)
      Writer.brief(Round.to(span, :minute))
    end

    def self.now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
